/** URL of the module that plays the recorded file: what `startScriptedModelProcess` takes as its `scriptModule`. */
export function playScriptUrl(path: string): URL {
  const isSource = import.meta.url.endsWith('.ts');
  const url = new URL(isSource ? './play-script-module.ts' : './play-script-module.js', import.meta.url);
  url.searchParams.set('file', path);
  return url;
}
