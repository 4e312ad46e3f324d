import { toLonghaulError } from '@longhaul/protocol';
import type { Settings, SettingsBody } from '@longhaul/protocol/api';
import { useCallback, useState } from 'react';
import { useServer } from '../data/server.ts';
import { useRead } from '../data/use-read.ts';
import { withPending } from './pending-settings.ts';

/** What became of the newest change. */
export type SaveResult = { kind: 'saving' | 'saved' | 'failed'; words: string };

export interface EditedSettings {
  /** With the changes that are being saved. One that fails is taken out again. */
  settings: Settings | undefined;
  problem: string | undefined;
  result: SaveResult | undefined;
  /** @param what Names the change, such as `Strategy: middle-removal`. */
  save: (body: SettingsBody, what: string) => Promise<void>;
}

/** The settings of the server that can be changed. Each change is saved at once. */
export function useSettings(onSaved: () => void): EditedSettings {
  const { client } = useServer();
  const { value, problem, again, put } = useRead(
    useCallback((signal) => client.settings.get({ signal }), [client]),
  );
  const [result, setResult] = useState<SaveResult>();
  const [pending, setPending] = useState<readonly SettingsBody[]>([]);
  const save = async (body: SettingsBody, what: string) => {
    setPending((before) => [...before, body]);
    setResult({ kind: 'saving', words: `Saving ${what}…` });
    try {
      put(await client.settings.set(body));
      setResult({ kind: 'saved', words: `Saved. ${what}.` });
      onSaved();
    } catch (error) {
      setResult({ kind: 'failed', words: `Not saved: ${toLonghaulError(error).message}` });
    }
    setPending((before) => before.filter((one) => one !== body));
    again();
  };
  const settings = value === undefined ? undefined : withPending(value, pending);
  return { settings, problem, result, save };
}
