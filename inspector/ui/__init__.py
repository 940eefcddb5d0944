"""The pages and components of the app; the only part that imports Streamlit."""
