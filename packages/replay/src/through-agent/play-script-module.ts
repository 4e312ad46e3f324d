/**
 * The script of the process that plays the model. The query of its URL contains the path of the recorded file:
 * `?file=PATH`.
 */

import { loadGptCounter } from '@longhaul/models';
import { LonghaulError } from '@longhaul/protocol';
import type { Script } from '@longhaul/scripted-model';
import { loadSession } from '../backtest/load-session.ts';
import { playScript } from './play-script.ts';
import { recordedPlay } from './recorded-play.ts';

const path = new URL(import.meta.url).searchParams.get('file');
if (path === null) throw new LonghaulError('internal', 'Load this module with ?file=PATH in its URL.');
const { messages, problem } = await loadSession(path);
if (messages === undefined) throw new LonghaulError('invalid_request', `${path}: ${problem}`);

export const script: Script = playScript(recordedPlay(messages), { countTokens: await loadGptCounter() });
