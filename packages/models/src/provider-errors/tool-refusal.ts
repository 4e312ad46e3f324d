/** Texts by which servers report that a model, or its configuration on the server, has no tools. */
const NO_TOOLS =
  /(?:does not|doesn't|do not) support (?:tools|tool (?:use|call)|function)|support tool use|tools?'? ?(?:calling`? |use )?(?:is|are) not supported|function calling is not enabled|tool choice requires --enable|tools param requires --jinja|unsupported param: tools/i;

export function saysNoTools(text: string): boolean {
  return NO_TOOLS.test(text);
}

/** Returns advice for a refusal of tools, depending on the server. */
export function adviceWithoutTools(text: string, provider: string): string {
  if (/--jinja|unsupported param: tools/i.test(text)) {
    return "Start llama-server with --jinja, so that it uses the tools of the model's chat template.";
  }
  if (/--enable-auto-tool-choice/i.test(text)) {
    return 'Start vLLM with --enable-auto-tool-choice and --tool-call-parser NAME (its documentation lists the one for each model).';
  }
  if (/ollama/i.test(text) || /ollama/i.test(provider)) {
    return 'Choose a model that can: `ollama show MODEL` lists "tools" under its capabilities.';
  }
  return 'Choose a model that can.';
}
