import { spawn } from 'node:child_process';
import { isObject, type JsonObject, LonghaulError, parseJson } from '@longhaul/protocol';

export interface ViewCommandLimits {
  /** Default: a minute. */
  timeoutMs?: number | undefined;
  /** Default: 64 MB. */
  maxOutputBytes?: number | undefined;
}

const TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 64_000_000;
const MAX_ERROR_CHARS = 500;
const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

/**
 * Runs a command once: `{windowTokens, usableTokens, messages}` as JSON on its standard input, `{messages}` as JSON on
 * its standard output.
 *
 * @throws {LonghaulError} `invalid_request` if the command fails, does not end, or prints something else.
 */
export async function runViewCommand(
  command: string,
  input: { windowTokens: number; usableTokens: number; messages: readonly JsonObject[] },
  limits: ViewCommandLimits = {},
): Promise<JsonObject[]> {
  const output = await outputOf(command, JSON.stringify(input), limits);
  const value = parseJson(output);
  if (value === undefined) throw failed(`printed no JSON, but: ${shown(output) || 'nothing'}`);
  const messages = isObject(value) ? value['messages'] : undefined;
  if (!Array.isArray(messages)) throw failed('printed JSON without a list `messages`');
  return messages.map((message, index) => {
    const role = isObject(message) ? message['role'] : undefined;
    if (isObject(message) && typeof role === 'string' && ROLES.has(role)) return message;
    throw failed(`printed a wrong message, messages[${index}]: its role must be ${[...ROLES].join(', ')}`);
  });
}

function outputOf(command: string, input: string, limits: ViewCommandLimits): Promise<string> {
  const { timeoutMs = TIMEOUT_MS, maxOutputBytes = MAX_OUTPUT_BYTES } = limits;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const child = spawn(directly(command), { shell: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  let bytes = 0;
  let errors = '';
  const giveUp = (error: LonghaulError) => {
    child.kill('SIGKILL');
    // A program that the command started can keep the pipes open.
    child.stdout.destroy();
    child.stderr.destroy();
    reject(error);
  };
  const timer = setTimeout(
    () => giveUp(failed(`did not end within ${timeoutMs / 1_000} seconds`)),
    timeoutMs,
  );
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes > maxOutputBytes) giveUp(failed(`printed more than ${maxOutputBytes / 1e6} MB`));
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-MAX_ERROR_CHARS);
  });
  // A command that does not read its input closes it.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  child.on('error', (cause) => giveUp(failed(`cannot be started: ${cause.message}`)));
  child.on('close', (code, signal) => {
    clearTimeout(timer);
    if (code === 0) resolve(Buffer.concat(chunks).toString());
    else reject(failed(`ended with ${signal ?? `exit code ${code}`}: ${shown(errors) || 'no message'}`));
  });
  return promise.finally(() => clearTimeout(timer));
}

/** The shell runs one program in its own place, so that killing the shell kills the program. */
function directly(command: string): string {
  const isPlain = !/^\s*\w+=|[|&;<>()$`\n]/.test(command);
  return process.platform !== 'win32' && isPlain ? `exec ${command}` : command;
}

function shown(text: string): string {
  return text.trim().slice(0, MAX_ERROR_CHARS);
}

function failed(what: string): LonghaulError {
  return new LonghaulError('invalid_request', `The view command ${what}.`);
}
