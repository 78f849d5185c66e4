"""The dialog of **Optimize conversation**, which shows a plan before it is applied."""
