"""What a game is, who plays whom, who has won, and the contest that plays them."""
