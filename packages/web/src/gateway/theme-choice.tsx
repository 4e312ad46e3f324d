import { setTheme, THEMES, useTheme } from '../shell/theme.ts';

const LABELS = { system: 'As the system', light: 'Light', dark: 'Dark' };

export function ThemeChoice() {
  const shown = useTheme();
  return (
    <label className="quiet">
      Theme{' '}
      <select
        value={shown}
        onChange={({ target }) => setTheme(THEMES.find((theme) => theme === target.value) ?? 'system')}
      >
        {THEMES.map((theme) => (
          <option key={theme} value={theme}>
            {LABELS[theme]}
          </option>
        ))}
      </select>
    </label>
  );
}
