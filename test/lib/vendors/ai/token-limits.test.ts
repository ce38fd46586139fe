import { describe, expect, it } from 'vitest'
import { noTokenLimits, readTokenLimits } from '#vendors/ai/token-limits.ts'

const sent = { ceiling: 28_000, prompt: 2000 }
/** The ceiling that a refusal leads to, null for a prompt without room for an answer, or undefined. */
const learn = (message: string) => readTokenLimits(message, sent, noTokenLimits)?.ceiling

describe('AIM-11 the numbers of a refusal', () => {
  it.each([
    // https://github.com/charmbracelet/catwalk/issues/41
    [
      'max_tokens is too large: 28000. This model supports at most 16384 completion tokens, whereas you provided 28000.',
      16_384,
    ],
    // https://github.com/deepseek-ai/DeepSeek-V3/issues/69
    ['Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', 8192],
    ['Range of max_tokens should be [1, 8192]', 8192],
    [
      'max_tokens: 28000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-sonnet-20241022',
      8192,
    ],
    [
      '`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model',
      8192,
    ],
    [
      'Unable to submit request because it has a maxOutputTokens value of 28000 but the supported range is from 1 (inclusive) to 8193 (exclusive). Update the value and try again.',
      8192,
    ],
    [
      'The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.',
      4095,
    ],
    ['too many tokens: max tokens must be less than or equal to 4,096', 4096],
    ['max_completion_tokens may be at most 16_384 for gpt-4o-2024-05-13', 16_384],
  ])('%s become the ceiling %s', (message, ceiling) => {
    expect(learn(message)).toBe(ceiling)
  })

  it.each([
    [
      "'max_tokens' or 'max_completion_tokens' is too large: 28000. This model's maximum context length is 32768 tokens and your request has 9000 input tokens (28000 > 32768 - 9000).",
      23_000,
      23_768,
    ],
    [
      "This model's maximum context length is 8192 tokens. However, you requested 30000 tokens (2000 in the messages, 28000 in the completion). Please reduce the length of the messages or completion.",
      6000,
      6192,
    ],
    [
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 2000 `inputs` tokens and 28000 `max_new_tokens`',
      6000,
      6193,
    ],
    [
      'input length and `max_tokens` exceed context limit: 190000 + 28000 > 200000, decrease input length or `max_tokens` and try again',
      7500,
      10_000,
    ],
    [
      'Request too large for model `llama-3.1-8b` on tokens per minute (TPM): Limit 12000, Requested 30000, please reduce your message size and try again.',
      9500,
      10_000,
    ],
  ])('%s leave room for %i to %i tokens', (message, least, most) => {
    const ceiling = learn(message)
    expect([Number(ceiling) >= least, Number(ceiling) <= most]).toEqual([true, true])
  })

  it.each([
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 10000 tokens. Please reduce the length of the messages.",
    'Prompt contains 40000 tokens and 28000 draft tokens, too large for model with 32768 maximum context length',
    'prompt is too long: 210000 tokens > 200000 maximum',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    'the request exceeds the available context size, try increasing it n_prompt_tokens 3054 n_ctx 2048',
    'Please reduce the length of the messages or completion.',
    'The prompt is too long',
  ])('%s say that the prompt is too long', (message) => {
    expect(learn(message)).toBeNull()
  })

  it.each([
    'Unsupported parameter: max_tokens is not supported with this model. Use max_completion_tokens instead.',
    'Unrecognized request argument supplied: max_completion_tokens',
    'Invalid schema for response_format: 16384 is no type',
    'The model gpt-4o-2024-05-13 does not exist',
    '',
  ])('%s say nothing', (message) => {
    expect(learn(message)).toBeUndefined()
  })
})
