"""The weights of a polynomial SVM: what is known of them all, and which are the largest."""
