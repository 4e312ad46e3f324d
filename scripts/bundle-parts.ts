/** Modules of packages that are started or imported by path. They keep their path below `lib` of the bundle. */
export const PROGRAMS = [
  'embedded/dist/process/model-process.js',
  'files/dist/worker/diff-worker.js',
  'files/dist/worker/recorder-worker.js',
  'models/dist/tokenizers/tokenizer-worker.js',
  'replay/dist/backtest/worker.js',
  'replay/dist/through-agent/play-script-module.js',
  'scripted-model/dist/process-entry.js',
  'scripted-model/dist/demo/index.js',
  'tools/dist/line-matcher-worker.js',
  'tools/dist/web/page-worker.js',
];

/** Files and folders of packages that are read by path. They keep it too. */
export const ASSETS = [
  'cli/package.json',
  'cli/bin/watchdog.js',
  'replay/src/html',
  'scripted-model/src/demo/app',
  'models/dist/tokenizers/vocabularies',
  'models/dist/catalogue/data',
  'web/dist',
];
