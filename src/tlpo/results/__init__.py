"""What a finished evaluation offers: estimates, intervals, tables. No result keeps features."""
