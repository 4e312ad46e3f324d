/**
 * The parts of pi-tui that a chat uses. Its index also loads a renderer of Markdown and LaTeX, which would make the
 * start half as long again.
 */
export type {
  AutocompleteItem,
  AutocompleteProvider,
  AutocompleteSuggestions,
} from '@earendil-works/pi-tui/dist/autocomplete.js';
export { Editor } from '@earendil-works/pi-tui/dist/components/editor.js';
export { Input } from '@earendil-works/pi-tui/dist/components/input.js';
export { SelectList, type SelectListTheme } from '@earendil-works/pi-tui/dist/components/select-list.js';
export { fuzzyFilter } from '@earendil-works/pi-tui/dist/fuzzy.js';
export { isKeyRelease, type KeyId, matchesKey } from '@earendil-works/pi-tui/dist/keys.js';
export { ProcessTerminal } from '@earendil-works/pi-tui/dist/terminal.js';
export { parseOscColorResponse } from '@earendil-works/pi-tui/dist/terminal-colors.js';
export { detectCapabilities, setCapabilityOverrides } from '@earendil-works/pi-tui/dist/terminal-image.js';
export type { Component, Focusable, TUI, TuiStopOptions } from '@earendil-works/pi-tui/dist/tui.js';
export { TuiMainScreen } from '@earendil-works/pi-tui/dist/tui-main-screen.js';
export { truncateToWidth } from '@earendil-works/pi-tui/dist/utils.js';
