import { wrapText } from '../render/word-wrapper.ts';

export interface Banner {
  url: string;
  /** Absent: no token is needed. */
  tokenFile?: string;
  isNewToken?: boolean;
  /** Sessions whose last run was cut off. */
  interrupted: readonly string[];
  resumed: readonly string[];
}

/** What a person sees who has started a server: where it is, and how to try it. */
export function serverBanner(
  { url, tokenFile, isNewToken, interrupted, resumed }: Banner,
  columns: number,
): string {
  const auth = tokenFile === undefined ? '' : ' -H "Authorization: Bearer $TOKEN"';
  const token =
    tokenFile === undefined
      ? 'No token is needed: every program on this machine can use it.'
      : `Token: ${tokenFile}${isNewToken === true ? ' (made just now; only you can read it)' : ''}`;
  return [
    `Longhaul listens on ${url}`,
    token,
    '',
    'Try it',
    ...(tokenFile === undefined ? [] : [`  TOKEN=$(cat '${tokenFile}')`]),
    `  curl -s${auth} ${url}/api/sessions`,
    `  curl -s${auth} ${url}/api/sessions -H 'Content-Type: application/json' -d '{"title":"First"}'`,
    `  curl -s${auth} ${url}/openapi.json`,
    '',
    ...interruptedLines(interrupted, resumed, columns),
    'Ctrl-C stops it: steps may finish; again, and it stops at once.',
    '',
  ].join('\n');
}

function interruptedLines(
  interrupted: readonly string[],
  resumed: readonly string[],
  columns: number,
): string[] {
  if (interrupted.length === 0) return [];
  const count = interrupted.length === 1 ? 'One session was' : `${interrupted.length} sessions were`;
  const then =
    resumed.length === 0
      ? 'longhaul serve --resume goes on with them, or POST /api/sessions/ID/resume.'
      : `${resumed.length} of them were resumed.`;
  const shown = interrupted.slice(0, 5).join(', ') + (interrupted.length > 5 ? ', …' : '');
  return [wrapText(`${count} interrupted: ${shown}. ${then}`, columns).trimEnd(), ''];
}
