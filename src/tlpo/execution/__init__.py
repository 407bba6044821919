"""How work is cut into chunks, spread over cores, watched and recorded."""
