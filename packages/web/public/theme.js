// Before the first paint, so that a chosen theme does not flash. The page's policy allows no inline scripts.
try {
  const theme = localStorage.getItem('longhaul-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Without storage, the theme of the system is used.
}
