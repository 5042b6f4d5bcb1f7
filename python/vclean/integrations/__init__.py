"""Adapters to programs where pages already are; each is imported by its name, such as ``vclean.integrations.ray``."""
