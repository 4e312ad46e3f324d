import { setTheme, THEMES, useTheme } from '../shell/theme.ts';

const LABELS = { system: 'As the system', light: 'Light', dark: 'Dark' };

export function ThemeSetting() {
  const shown = useTheme();
  return (
    <fieldset className="theme-choice">
      <legend>Theme</legend>
      {THEMES.map((theme) => (
        <label key={theme}>
          <input type="radio" name="theme" checked={theme === shown} onChange={() => setTheme(theme)} />{' '}
          {LABELS[theme]}
        </label>
      ))}
    </fieldset>
  );
}
