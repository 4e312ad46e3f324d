import type { Store } from '@longhaul/core';
import type { ServedSettings } from './served-settings.ts';

/** Changes of the database within this time are one: runs of other servers change it many times a second. */
const PAUSE_MS = 250;

/** Takes over the settings that other servers of the database change, until the result is disposed. */
export function followSettings(
  store: Pick<Store, 'watch'>,
  settings: Pick<ServedSettings, 'reloadIfChanged'>,
  onFailure: (error: unknown) => void,
): Disposable {
  let timer: NodeJS.Timeout | undefined;
  let isStale = false;
  let isOver = false;
  const watch = store.watch(lookSoon);

  function lookSoon(): void {
    isStale = true;
    timer ??= setTimeout(() => void look(), PAUSE_MS).unref();
  }

  /** One at a time: a database that is slow gets no more questions than it answers. */
  async function look(): Promise<void> {
    isStale = false;
    try {
      await settings.reloadIfChanged();
    } catch (error) {
      if (!isOver) onFailure(error);
    }
    timer = undefined;
    if (isStale && !isOver) lookSoon();
  }

  return {
    [Symbol.dispose]() {
      isOver = true;
      clearTimeout(timer);
      watch[Symbol.dispose]();
    },
  };
}
