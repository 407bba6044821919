"""How rounds of work are cut into chunks, spread over cores, watched and recorded."""
