/** Families of models that were trained on `apply_patch`. */
const PATCH_MODELS: readonly RegExp[] = [/^gpt-(?!3|4|oss)/, /codex/, /^chatgpt-(?!3|4)/];

/** Names that match, but were not. */
const OTHERS: readonly RegExp[] = [/oss/, /^gpt-[34]/];

/** Whether a model was trained on `apply_patch`. The name can have its provider before it. */
export function isPatchModel(model: string): boolean {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return PATCH_MODELS.some((family) => family.test(name)) && !OTHERS.some((family) => family.test(name));
}
