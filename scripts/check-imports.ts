/**
 * Checks all imports, including type-only ones. Fails on an import against the architecture's direction, of a path that
 * a package does not export, of an undeclared dependency, or in a cycle.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';

/** The packages that each package may import. Tests may also import their package's devDependencies. */
const DIRECTION: Record<string, readonly string[]> = {
  protocol: [],
  context: ['protocol'],
  models: ['protocol', 'context'],
  core: ['protocol', 'context', 'models'],
  drivers: ['protocol', 'context', 'models', 'core'],
  tools: ['protocol', 'context', 'core'],
  approvals: ['protocol', 'core', 'tools'],
  files: ['protocol', 'core', 'tools'],
  config: ['protocol', 'context', 'models', 'core', 'approvals'],
  storage: ['protocol', 'context', 'models', 'core'],
  sandbox: ['protocol', 'context', 'models', 'core'],
  'scripted-model': ['protocol', 'models'],
  replay: ['protocol', 'context', 'models', 'scripted-model'],
  client: ['protocol'],
  server: ['protocol', 'context', 'models', 'core', 'config'],
  acp: ['protocol', 'context', 'core'],
  mcp: ['protocol', 'models', 'core', 'tools'],
  embedded: ['protocol', 'models', 'core', 'drivers'],
  cluster: ['protocol', 'core'],
  web: ['protocol', 'client'],
  gateway: ['protocol', 'context', 'models'],
  testing: ['protocol', 'context', 'models', 'core', 'storage'],
  cli: [
    'protocol',
    'client',
    'context',
    'models',
    'core',
    'drivers',
    'tools',
    'approvals',
    'config',
    'storage',
    'sandbox',
    'files',
    'scripted-model',
    'replay',
    'server',
    'acp',
    'mcp',
    'embedded',
    'cluster',
    'gateway',
    'web',
  ],
};

/**
 * The layers of core, lowest first. A folder may import only its own layer and lower ones. Files outside these folders
 * may import all.
 */
const CORE_LAYERS = [
  'ports',
  'tool-output',
  'prompt',
  'session',
  'telemetry',
  'executor',
  'context',
  'runtime',
];

/** Packages that contain their dependencies, which are declared as devDependencies. */
const BUNDLED = new Set(['cli', 'web']);

/** Packages that must run anywhere: they may not use Node's modules, clocks or random numbers. */
const PURE = new Set(['context']);
const IMPURE = /\b(?:Date\.now|new Date\(\)|Math\.random|performance\.now|process\.)/;

/** Test dependencies declared in the root package.json. */
const TEST_TOOLS = new Set([
  'vitest',
  '@xterm/headless',
  'fast-check',
  'openai',
  '@copilotkit/aimock',
  'bun',
  'rolldown',
  '@cfworker/json-schema',
  'playwright-core',
  'axe-core',
]);

interface Edge {
  from: string;
  to: string;
}

interface Manifest {
  name: string;
  exports: Record<string, unknown>;
  /** Dependencies installed with the package. */
  declared: Set<string>;
  /** Dependencies available only to its tests. */
  forTests: Set<string>;
}

const problems: string[] = [];
const manifests = readManifests();
const edges = globSync('packages/*/{src,test}/**/*.{ts,tsx}').flatMap(checkFile);
problems.push(...findCycles(edges).map((cycle) => `import cycle: ${cycle.join(' → ')}`));

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`Imports: checked ${edges.length}, no wrong direction, no cycles.`);

function readManifests(): Map<string, Manifest> {
  const found = new Map<string, Manifest>();
  for (const path of globSync('packages/*/package.json')) {
    const json = JSON.parse(readFileSync(path, 'utf8'));
    const declared = new Set(
      [json.dependencies, json.peerDependencies, json.optionalDependencies].flatMap((map) =>
        Object.keys(map ?? {}),
      ),
    );
    const forTests = new Set(Object.keys(json.devDependencies ?? {}));
    if (BUNDLED.has(packageOf(path))) for (const name of forTests) declared.add(name);
    found.set(packageOf(path), { name: json.name, exports: json.exports ?? {}, declared, forTests });
  }
  return found;
}

function packageOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function checkFile(path: string): Edge[] {
  const source = readFileSync(path, 'utf8');
  const isTest = /\.test\.tsx?$|\/test\/|\/test-support\/|^packages\/testing\//.test(path);
  if (PURE.has(packageOf(path)) && !isTest) checkPurity(path, source);
  return importsOf(path, source).flatMap((specifier) => checkImport(path, specifier, isTest));
}

function checkPurity(path: string, source: string): void {
  const code = source.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '');
  const impure = IMPURE.exec(code);
  if (impure !== null)
    problems.push(`${path}: a pure package may not use ${impure[0]}; pass the value as a parameter`);
}

function importsOf(path: string, source: string): string[] {
  const { module, errors } = parseSync(path, source);
  for (const error of errors) problems.push(`${path}: cannot be parsed: ${error.message}`);
  const exported = module.staticExports.flatMap((statement) => statement.entries);
  const literals = module.dynamicImports.map(({ moduleRequest: { start, end } }) => source.slice(start, end));
  return [
    ...module.staticImports.map((statement) => statement.moduleRequest.value),
    ...exported.flatMap((entry) => (entry.moduleRequest ? [entry.moduleRequest.value] : [])),
    ...literals.filter((text) => /^['"].*['"]$/.test(text)).map((text) => text.slice(1, -1)),
  ];
}

function checkImport(path: string, specifier: string, isTest: boolean): Edge[] {
  const owner = packageOf(path);
  if (specifier.startsWith('.')) return checkRelative(path, specifier);
  if (/^(?:node|bun):/.test(specifier)) {
    if (PURE.has(owner) && !isTest) problems.push(`${path}: a pure package may not import ${specifier}`);
    return [];
  }
  const [target, subpath] = splitSpecifier(specifier);
  const neighbour = [...manifests].find(([, manifest]) => manifest.name === target);
  if (neighbour !== undefined)
    checkNeighbour(path, { folder: neighbour[0], manifest: neighbour[1], subpath, isTest });
  checkDeclared(path, target, isTest);
  return [];
}

function checkRelative(path: string, specifier: string): Edge[] {
  const to = relative('.', resolve(dirname(path), specifier));
  if (packageOf(to) !== packageOf(path) || !to.startsWith('packages/')) {
    problems.push(`${path}: imports ${specifier}, which is outside its package; use the package's name`);
  } else if (!existsSync(to)) {
    problems.push(`${path}: imports ${specifier}, which does not exist`);
  }
  checkLayers(path, to);
  return [{ from: path, to }];
}

/** Tests may import any layer. */
function checkLayers(path: string, to: string): void {
  if (/\.test\.tsx?$/.test(path)) return;
  const from = coreLayerOf(path);
  if (from !== -1 && coreLayerOf(to) > from) {
    problems.push(`${path}: imports ${to}, which is in a higher layer`);
  }
}

/** Returns the index of the layer, or -1 for files outside these folders. */
function coreLayerOf(path: string): number {
  return CORE_LAYERS.indexOf(/^packages\/core\/src\/([^/]+)\//.exec(path)?.[1] ?? '');
}

function splitSpecifier(specifier: string): [string, string] {
  const parts = specifier.split('/');
  const count = specifier.startsWith('@') ? 2 : 1;
  const rest = parts.slice(count).join('/');
  return [parts.slice(0, count).join('/'), rest === '' ? '.' : `./${rest}`];
}

function checkNeighbour(
  path: string,
  target: { folder: string; manifest: Manifest; subpath: string; isTest: boolean },
): void {
  const owner = packageOf(path);
  const { folder, manifest, subpath, isTest } = target;
  const allowed = DIRECTION[owner];
  if (allowed === undefined)
    problems.push(`${path}: the package ${owner} is missing in scripts/check-imports.ts`);
  const isForTest = isTest && manifests.get(owner)?.forTests.has(manifest.name) === true;
  if (!isForTest && folder !== owner && allowed?.includes(folder) === false) {
    problems.push(`${path}: ${owner} may not import ${folder}`);
  }
  if (!(subpath in manifest.exports)) problems.push(`${path}: ${manifest.name} does not export ${subpath}`);
}

function checkDeclared(path: string, target: string, isTest: boolean): void {
  const manifest = manifests.get(packageOf(path));
  const isTestTool = TEST_TOOLS.has(target) && (isTest || path.includes('/src/testing/'));
  if (manifest === undefined || isTestTool || target === manifest.name || manifest.declared.has(target))
    return;
  if (isTest && manifest.forTests.has(target)) return;
  const where = manifest.forTests.has(target) ? 'declares only as a devDependency' : 'does not declare';
  problems.push(`${path}: imports ${target}, which its package.json ${where}`);
}

/** Returns each cycle once, as a list of files. */
function findCycles(all: readonly Edge[]): string[][] {
  const next = Map.groupBy(all, (edge) => edge.from);
  const done = new Set<string>();
  const cycles: string[][] = [];
  const visit = (file: string, trail: string[]): void => {
    const start = trail.indexOf(file);
    if (start !== -1) {
      cycles.push([...trail.slice(start), file]);
      return;
    }
    if (done.has(file)) return;
    for (const edge of next.get(file) ?? []) visit(edge.to, [...trail, file]);
    done.add(file);
  };
  for (const file of next.keys()) visit(file, []);
  return cycles;
}
