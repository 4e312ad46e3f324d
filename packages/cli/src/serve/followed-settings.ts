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
  const watch = store.watch(() => {
    timer ??= setTimeout(() => {
      timer = undefined;
      settings.reloadIfChanged().catch(onFailure);
    }, PAUSE_MS).unref();
  });
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      watch[Symbol.dispose]();
    },
  };
}
