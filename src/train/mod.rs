//! Learns from pages with gold text.
