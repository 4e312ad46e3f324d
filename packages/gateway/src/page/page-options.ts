import type { PageSettings, PageSettingsChange } from '@longhaul/protocol/gateway-page';
import type { CompactionSetting } from '../compaction/types.ts';

/** The page of the gateway. */
export interface GatewayPageOptions {
  /** The built page: `index.html`, and files with hashed names in `assets`. */
  folder: string;
  /** What a person must enter to use the page. It should not be the token of the clients. */
  token: string;
  /** Stores what is changed on the page. Default: changes last until the gateway is closed. */
  keeper?: SettingsKeeper;
}

/** A change to store. */
export type KeptChange = Omit<PageSettingsChange, 'compaction'> & {
  compaction?: Readonly<Record<string, CompactionSetting>> | undefined;
};

/** Stores settings for the next start of the gateway. */
export interface SettingsKeeper {
  /** Where each setting is stored. */
  readonly places: PageSettings['places'];
  /**
   * Stores those settings of a change that have a place. Called before the change takes effect.
   *
   * @throws {LonghaulError} Then nothing takes effect.
   */
  store(change: KeptChange): Promise<void>;
}
