import { modelPlaces } from '@longhaul/config';
import { LonghaulError } from '@longhaul/protocol';
import type { ServedAgent } from '@longhaul/server';
import { wrapText } from '../render/word-wrapper.ts';
import type { RunPlaces } from './run-places.ts';

export interface Banner {
  url: string;
  /** Address of the page with a one-time code. Absent: not asked for. */
  page?: string | undefined;
  /** Absent: no token is needed. */
  tokenFile?: string;
  isNewToken?: boolean;
  /** Sessions whose last run was interrupted. */
  interrupted: readonly string[];
  /** Other sessions with messages that no run has taken. */
  waiting: readonly string[];
  /** Sessions that another process works on. */
  elsewhere: readonly string[];
  resumed: readonly string[];
  /** How many runs the server has at the same time. */
  places: RunPlaces;
  /** The model of sessions that name none. Absent: there is none. */
  model?: string;
  /** Why the configured model cannot be used. */
  modelProblem?: string;
}

/** Returns the start message of a server: its address, and how to try it. */
export function serverBanner(
  { url, page, tokenFile, isNewToken, places, model, modelProblem, ...left }: Banner,
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
    runsLine(places),
    '',
    'Try it',
    ...(tokenFile === undefined ? [] : [`  TOKEN=$(cat '${tokenFile}')`]),
    `  curl -s${auth} ${url}/api/sessions`,
    `  curl -s${auth} ${url}/api/sessions -H 'Content-Type: application/json' -d '{"title":"First"}'`,
    `  curl -s${auth} ${url}/openapi.json`,
    '',
    ...leftLines(left, columns),
    'Ctrl-C lets running steps finish; a second Ctrl-C stops at once.',
    '',
  ].join('\n');
}

/** The model of sessions that name none. A server without one starts, since each session can name its own. */
export async function modelOf({
  models,
}: Pick<ServedAgent, 'models'>): Promise<Pick<Banner, 'model' | 'modelProblem'>> {
  try {
    return { model: await models.resolve(undefined) };
  } catch (error) {
    if (!(error instanceof LonghaulError)) throw error;
    return error.code === 'model_not_configured' ? {} : { modelProblem: error.message };
  }
}

function runsLine({ max, reason }: RunPlaces): string {
  return max === null ? 'Runs at the same time: no limit' : `Runs at the same time: ${max} (${reason})`;
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

type Left = Pick<Banner, 'interrupted' | 'waiting' | 'elsewhere' | 'resumed'>;

function leftLines({ interrupted, waiting, elsewhere, resumed }: Left, columns: number): string[] {
  const found = [
    ...(interrupted.length === 0 ? [] : [`${were(interrupted)} interrupted: ${some(interrupted)}.`]),
    ...(waiting.length === 0 ? [] : [`${have(waiting)} messages that no run has taken: ${some(waiting)}.`]),
    ...(elsewhere.length === 0 ? [] : [`Another process works on ${some(elsewhere)}.`]),
  ];
  if (found.length === 0) return [];
  const isOpen = interrupted.length + waiting.length > 0;
  const then =
    resumed.length > 0
      ? ` ${resumed.length} of them were resumed.`
      : isOpen
        ? ' To resume them: longhaul serve --resume, or POST /api/sessions/ID/resume.'
        : '';
  return [wrapText(found.join(' ') + then, columns).trimEnd(), ''];
}

const were = (ids: readonly string[]) =>
  ids.length === 1 ? 'One session was' : `${ids.length} sessions were`;
const have = (ids: readonly string[]) =>
  ids.length === 1 ? 'One session has' : `${ids.length} sessions have`;
const some = (ids: readonly string[]) => ids.slice(0, 5).join(', ') + (ids.length > 5 ? ', …' : '');
