//! Retries that cannot apply twice and recurring jobs that run once.
