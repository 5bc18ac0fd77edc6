"""Files of any size, packed once into parts on disk that are mapped when they are asked."""
