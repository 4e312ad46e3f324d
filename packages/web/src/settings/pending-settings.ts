import type { Settings, SettingsBody } from '@longhaul/protocol/api';

/**
 * Returns the settings as they will be when the changes are saved. A reset value (`null`) stays as it is: only the
 * server knows its default. `trigger` is the exception, because `null` is a value of its own.
 */
export function withPending(settings: Settings, changes: readonly SettingsBody[]): Settings {
  return changes.reduce(withChange, settings);
}

function withChange(settings: Settings, { compression = {}, pruningAgentId }: SettingsBody): Settings {
  const { strategy, trigger, auto } = compression;
  const changed: Settings = {
    ...settings,
    compression: {
      ...settings.compression,
      ...(typeof strategy === 'string' && { strategy }),
      ...(trigger !== undefined && { trigger }),
      ...(typeof auto === 'boolean' && { auto }),
    },
  };
  if (typeof pruningAgentId !== 'string') return changed;
  // It describes the former choice.
  const { pruningAgent: _, ...rest } = changed;
  return { ...rest, pruningAgentId };
}
