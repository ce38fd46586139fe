/** How many tokens an endpoint takes for a model, as its refusals say. */
export interface TokenLimits {
  /** The largest ceiling of an answer. */
  ceiling: number | null
  /** What a prompt and its answer may have together. */
  window: number | null
  /** The endpoint's tokens of a prompt for each one that we estimate. */
  ratio: number
}

export const noTokenLimits: TokenLimits = { ceiling: null, window: null, ratio: 1 }

/** What was sent: the ceiling of the answer, and the estimated tokens of the prompt. */
export interface SentTokens {
  ceiling: number
  prompt: number
}

/** A ceiling below which no answer is worth a call. */
export const minCeiling = 256
/** Estimates of a tokenizer that nobody knows are off by this much. */
const margin = 1.1
// What no tokenizer exceeds. Beyond it are images, which say nothing about the next prompt.
const maxRatio = 4

const aboutCeiling =
  /max(?:imum)?[\s_-]?(?:completion|output|new|generated)?[\s_-]?tokens|max_?output_?tokens|(?:completion|output|new) tokens/i
const aboutWindow =
  /context|window|\binputs?\b|prompt|too many (?:input )?tokens|too long|length of the messages|exceed[^.]{0,40}tokens|tokens per (?:minute|day)|reduce (?:your|the) (?:message|prompt|length)/i

const windowNumbers = [
  /(?:context|window)\s?(?:length|window|size|limit)?\D{0,24}?(\d+)/i,
  /(?<!\d)(\d+)\D{0,3}(?:maximum|max\b)/i,
  /(?:maximum|max)(?![_\s]?(?:completion|output|new)?[_\s]?tokens)[^.\d]{0,40}?(\d+)/i,
  /(?:<=|>|exceeds?|limit(?: of)?:?)\s*(\d+)/i,
  /n_ctx\D{0,4}(\d+)/i,
]
const promptNumbers = [
  /(?<!\d)(\d+)[^\w\d]{0,3}(?:input tokens|in (?:the|your) (?:messages?|prompt|input)|`?(?:inputs?|prompt)`? tokens|prompt tokens)/i,
  /(?:prompt contains|(?:prompt|input) is too long:?|resulted in|input token count|n_prompt_tokens|input length(?: of)?|your (?:prompt|request) (?:has|contains)|context limit:)\D{0,6}(\d+)/i,
]

/** Write numbers without separators, and drop those of names and dates, such as `claude-3-5` and `gpt-4o`. */
const toPlainNumbers = (text: string) =>
  text
    .replace(/(?<=\d)[,_](?=\d{3}(?!\d))/g, '')
    .replace(/(?<=\d)-(?=tokens?\b)/gi, ' ')
    .replace(/(?<![\w./-])(?=[\w./-]*[a-z])[\w./-]*\d[\w./-]*/gi, ' ')

const listNumbers = (text: string) =>
  [...text.matchAll(/(?<![\w.-])\d+(?![\w-]|\.\d)/g)].map(([number]) => Number(number))

/**
 * What follows from a refusal: the limits for later calls, and the ceiling that this call may have; null if
 * the prompt has no room for an answer.
 */
export interface LimitLesson {
  limits: TokenLimits
  ceiling: number | null
}

/**
 * Read the numbers of a refusal. Return undefined if it is not about the number of tokens, or says nothing
 * new.
 */
export function readTokenLimits(
  message: string,
  { ceiling, prompt }: SentTokens,
  known: TokenLimits,
): LimitLesson | undefined {
  const text = toPlainNumbers(message)
  const isAboutWindow = aboutWindow.test(text)
  if (!isAboutWindow && !aboutCeiling.test(text)) return undefined
  return (
    (isAboutWindow ? readWindow(text, { ceiling, prompt }, known) : undefined) ??
    readCeiling(text, ceiling, known) ??
    (isAboutWindow && /context|too long|too many|exceed|reduce/i.test(text)
      ? { limits: known, ceiling: null }
      : undefined)
  )
}

function readCeiling(text: string, sent: number, known: TokenLimits): LimitLesson | undefined {
  if (!aboutCeiling.test(text)) return undefined
  const candidates = listNumbers(text).filter((number) => number < sent && number >= minCeiling)
  if (candidates.length === 0) return undefined
  const largest = Math.max(...candidates)
  const isExclusive = /exclusive|(?:(?:less|lower|smaller) than|below)\W{0,4}\d/i.test(text)
  const ceiling = largest - (isExclusive ? 1 : 0)
  return { limits: { ...known, ceiling }, ceiling }
}

function readWindow(text: string, sent: SentTokens, known: TokenLimits): LimitLesson | undefined {
  const find = (patterns: readonly RegExp[], others: readonly (number | undefined)[] = []) =>
    patterns
      // Bounded: a pattern of this file with other flags.
      .flatMap((pattern) => [...text.matchAll(new RegExp(pattern, 'gi'))].map(([, number]) => Number(number)))
      .find((number) => number >= minCeiling && !others.includes(number))
  const requested = /requested\D{0,6}(\d+)/i.exec(text)?.[1]
  const prompt =
    find(promptNumbers, [sent.ceiling]) ??
    (requested && Number(requested) > sent.ceiling ? Number(requested) - sent.ceiling : undefined)
  const window = find(windowNumbers, [sent.ceiling, prompt, Number(requested)])
  if (window === undefined) return undefined
  const tokens = prompt ?? sent.prompt * margin
  const ratio = Math.min(maxRatio, Math.max(1 / maxRatio, tokens / Math.max(1, sent.prompt)))
  const limits = { ...known, window, ratio }
  const room = Math.floor(window - tokens - window / 100)
  if (room < minCeiling) return { limits, ceiling: null }
  return room < sent.ceiling ? { limits, ceiling: room } : undefined
}

/** Return how many tokens, as we estimate them, a prompt may have beside an answer with this ceiling. */
export function limitPrompt(ceiling: number, { window, ratio }: TokenLimits): number | undefined {
  if (window === null) return undefined
  return Math.floor((window - Math.min(ceiling, Math.max(minCeiling, window / 4))) / (ratio * margin))
}

/** Return the ceiling to ask with: as demanded, or as the endpoint takes it beside this prompt. */
export function limitCeiling(
  { ceiling, prompt }: SentTokens,
  { ceiling: max, window, ratio }: TokenLimits,
): number {
  const room = window === null ? ceiling : Math.floor(window - prompt * ratio - window / 100)
  return Math.min(ceiling, max ?? ceiling, Math.max(minCeiling, room))
}
