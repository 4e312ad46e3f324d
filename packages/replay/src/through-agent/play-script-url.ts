/**
 * Returns the URL of the module that plays the recorded file, for the `scriptModule` option of
 * `startScriptedModelProcess`.
 */
export function playScriptUrl(path: string): URL {
  const isSource = import.meta.url.endsWith('.ts');
  const url = new URL(isSource ? './play-script-module.ts' : './play-script-module.js', import.meta.url);
  url.searchParams.set('file', path);
  return url;
}
