import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { ClientFeatures } from '../client-features.ts';
import { remark } from './text-chunk.ts';

export interface NoticeText {
  severity: 'info' | 'warning' | 'error';
  title: string;
  description?: string;
  /** A client that knows no notices gets it as a message. Default: only clients that know them get it. */
  isImportant?: boolean;
}

/** Returns the update that informs the person. */
export function notice(
  { showsNotices }: Pick<ClientFeatures, 'showsNotices'>,
  { severity, title, description, isImportant = false }: NoticeText,
): SessionUpdate[] {
  if (showsNotices) return [{ sessionUpdate: 'notice', severity, title, description }];
  if (!isImportant) return [];
  return remark(`> ${[title, description].filter((text) => text !== undefined).join('\n> ')}\n\n`);
}
