import { stat } from 'node:fs/promises';
import type { Environment } from './environment.ts';
import { PrivateRecord } from './private-record.ts';

/** API keys by the names of their providers. */
export type StoredKeys = Readonly<Record<string, string>>;

const OTHERS = 0o077;

/** The API keys that a person stored with `longhaul login`. */
export class KeyStore extends PrivateRecord<string> {
  constructor(user: { env: Environment; home: string }) {
    super({
      user,
      fileName: 'credentials.json',
      field: 'keys',
      called: 'API keys',
      command: 'longhaul login',
      isValue: (value): value is string => typeof value === 'string' && value !== '',
    });
  }

  /** Whether other users of this machine can read the file. */
  async isOpenToOthers(): Promise<boolean> {
    const info = await stat(this.path).catch(() => undefined);
    return info !== undefined && process.platform !== 'win32' && (info.mode & OTHERS) !== 0;
  }
}
