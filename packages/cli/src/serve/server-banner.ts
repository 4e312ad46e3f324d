import { modelPlaces } from '@longhaul/config';
import { wrapText } from '../render/word-wrapper.ts';

export interface Banner {
  url: string;
  /** Address of the page with a one-time code. Absent: not asked for. */
  page?: string | undefined;
  /** Absent: no token is needed. */
  tokenFile?: string;
  isNewToken?: boolean;
  /** Sessions whose last run was interrupted. */
  interrupted: readonly string[];
  resumed: readonly string[];
  /** The model of sessions that name none. Absent: there is none. */
  model?: string;
  /** Why the configured model cannot be used. */
  modelProblem?: string;
}

/** Returns the start message of a server: its address, and how to try it. */
export function serverBanner(
  { url, page, tokenFile, isNewToken, interrupted, resumed, model, modelProblem }: Banner,
  columns: number,
): string {
  const auth = tokenFile === undefined ? '' : ' -H "Authorization: Bearer $TOKEN"';
  const token =
    tokenFile === undefined
      ? 'No token is needed: every program on this machine can use this server.'
      : `Token: ${tokenFile}${isNewToken === true ? ' (new; only you can read it)' : ''}`;
  return [
    `Longhaul listens on ${url}`,
    ...pageLines(page, tokenFile),
    token,
    ...modelLines({ model, modelProblem }, columns),
    '',
    'Try it',
    ...(tokenFile === undefined ? [] : [`  TOKEN=$(cat '${tokenFile}')`]),
    `  curl -s${auth} ${url}/api/sessions`,
    `  curl -s${auth} ${url}/api/sessions -H 'Content-Type: application/json' -d '{"title":"First"}'`,
    `  curl -s${auth} ${url}/openapi.json`,
    '',
    ...interruptedLines(interrupted, resumed, columns),
    'Ctrl-C lets running steps finish; a second Ctrl-C stops at once.',
    '',
  ].join('\n');
}

function pageLines(page: string | undefined, tokenFile: string | undefined): string[] {
  if (page === undefined) return [];
  const note = 'This address signs one browser in, within 60 seconds. Others ask for the token.';
  return tokenFile === undefined ? [`Page: ${page}`] : [`Page: ${page}`, note];
}

function modelLines(
  { model, modelProblem }: Pick<Banner, 'model' | 'modelProblem'>,
  columns: number,
): string[] {
  if (model !== undefined) return [`Model: ${model}`];
  const problem =
    modelProblem === undefined
      ? `No model: none is configured, and none was found. Looked for: ${modelPlaces()}.`
      : `The configured model cannot be used. ${modelProblem}`;
  const advice =
    'Name one when you create a session, as {"model": "provider/model"}, or start a local server: neither needs a restart. Or set a key or model in longhaul.yml, and start this server again.';
  return ['', wrapText(problem, columns).trimEnd(), wrapText(advice, columns).trimEnd()];
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
      ? 'To resume them: longhaul serve --resume, or POST /api/sessions/ID/resume.'
      : `${resumed.length} of them were resumed.`;
  const shown = interrupted.slice(0, 5).join(', ') + (interrupted.length > 5 ? ', …' : '');
  return [wrapText(`${count} interrupted: ${shown}. ${then}`, columns).trimEnd(), ''];
}
