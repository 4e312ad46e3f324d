import type { SessionInfo } from '@longhaul/protocol/api';
import { folderName, sessionName } from '../sessions/session-names.ts';
import { goTo, type Panel, type Route } from '../shell/route.ts';
import { setTheme, THEMES } from '../shell/theme.ts';

export interface PaletteItem {
  id: string;
  label: string;
  /** Shown at the end of the line, and searched too. */
  hint?: string;
  run: () => void;
}

export interface PaletteGroup {
  value: string;
  items: readonly PaletteItem[];
}

/** What can be done with the shown session. */
export interface ShownSessionActions {
  stop: () => void;
  compact: () => void;
  undo: () => void;
  fork: () => void;
  rename: () => void;
  export: (files: boolean) => void;
  delete: () => void;
}

interface PaletteFacts {
  route: Route;
  /** The shown session. */
  shown: { isRunning: boolean; actions: ShownSessionActions } | undefined;
  sessions: readonly SessionInfo[];
  onShortcuts: () => void;
}

/** Everything that the palette offers now. */
export function paletteGroups(facts: PaletteFacts): readonly PaletteGroup[] {
  const { route, shown, sessions, onShortcuts } = facts;
  const groups = [
    { value: 'This session', items: shown === undefined ? [] : sessionItems(shown, route) },
    { value: 'Sessions', items: sessions.map(sessionItem) },
    { value: 'Pages', items: pageItems(onShortcuts) },
    { value: 'Theme', items: themeItems() },
  ];
  return groups.filter(({ items }) => items.length > 0);
}

/** Whether all words of the query are in the line. */
export function matchesWords({ label, hint = '' }: PaletteItem, query: string): boolean {
  const text = `${label} ${hint}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function sessionItems(
  { isRunning, actions }: NonNullable<PaletteFacts['shown']>,
  route: Route,
): readonly PaletteItem[] {
  return [
    ...(isRunning ? [item('stop', 'Stop the run', actions.stop)] : []),
    item('compact', 'Compact the context…', actions.compact),
    item('undo', 'Undo the newest compaction', actions.undo),
    item('fork', 'Fork this session', actions.fork),
    item('rename', 'Rename this session', actions.rename),
    item('export', 'Export this session', () => actions.export(false)),
    item('export-files', 'Export this session with files', () => actions.export(true)),
    item('delete', 'Delete this session', actions.delete),
    ...PANELS.map(([panel, label]) => item(`panel-${panel}`, label, () => showPanel(route, panel))),
  ];
}

const PANELS: readonly [Panel, string][] = [
  ['context', 'Show the context'],
  ['files', 'Show the changed files'],
  ['tree', 'Show the branches'],
];

function showPanel(route: Route, panel: Panel): void {
  if (route.page === 'session') goTo({ ...route, panel });
}

function sessionItem(session: SessionInfo): PaletteItem {
  const { id, workspace, state } = session;
  return {
    id: `session-${id}`,
    label: sessionName(session),
    hint: `${state === 'running' ? 'running · ' : ''}${folderName(workspace)}`,
    run: () => goTo({ page: 'session', sessionId: id }),
  };
}

function pageItems(onShortcuts: () => void): readonly PaletteItem[] {
  return [
    item('home', 'New session', () => goTo({ page: 'home' })),
    item('inbox', 'Approvals', () => goTo({ page: 'inbox' })),
    item('replay', 'Replay', () => goTo({ page: 'replay' })),
    item('settings', 'Settings', () => goTo({ page: 'settings' })),
    { ...item('shortcuts', 'Keyboard shortcuts', onShortcuts), hint: '?' },
  ];
}

function themeItems(): readonly PaletteItem[] {
  const labels = { system: 'Theme of the system', light: 'Light theme', dark: 'Dark theme' };
  return THEMES.map((theme) => item(`theme-${theme}`, labels[theme], () => setTheme(theme)));
}

function item(id: string, label: string, run: () => void): PaletteItem {
  return { id, label, run };
}
