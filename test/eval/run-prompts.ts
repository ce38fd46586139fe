import type { AiPort } from '#vendors/ai/ai.ts'
import { type Prompt, toCompletion } from '#vendors/ai/ask.ts'
import { type Case, readCases } from './cases.ts'
import { judgeAnswer } from './judge.ts'
import { prompts } from './prompts.ts'
import { type AnswerScore, scoreAnswer, unreadable } from './score-answer.ts'

/** One case with its score. `failure` is why there was no answer. */
export interface ScoredCase extends AnswerScore {
  prompt: string
  name: string
  inputTokens: number
  outputTokens: number
  milliseconds: number
  failure: string | null
}

/**
 * Ask the model each recorded case once, without the service's second attempt, and score the answers. With a
 * `judge`, it decides whether an answer is correct; the local model cannot.
 */
export async function runPrompts(ai: AiPort, judge?: AiPort, folder?: string): Promise<ScoredCase[]> {
  const scored: ScoredCase[] = []
  for (const prompt of prompts)
    for (const recorded of await readCases(prompt.name, folder))
      scored.push(await runCase(ai, prompt, recorded, judge))
  return scored
}

async function runCase(
  ai: AiPort,
  prompt: Prompt,
  recorded: Case,
  judge: AiPort | undefined,
): Promise<ScoredCase> {
  const start = performance.now()
  const base = { prompt: prompt.name, name: recorded.name }
  try {
    const { text, usage } = await ai.complete(
      toCompletion(prompt, recorded as never, Number.POSITIVE_INFINITY),
    )
    const milliseconds = performance.now() - start
    const score = scoreAnswer(prompt, recorded, text)
    if (judge && score.valid && recorded.expect?.judge)
      score.correct = await judgeAnswer(judge, recorded, text)
    return {
      ...base,
      ...score,
      inputTokens: usage.input,
      outputTokens: usage.output,
      milliseconds,
      failure: null,
    }
  } catch (error) {
    const noScore = { ...unreadable, inputTokens: 0, outputTokens: 0 }
    return {
      ...base,
      ...noScore,
      milliseconds: performance.now() - start,
      failure: error instanceof Error ? error.message : String(error),
    }
  }
}

const checks = ['valid', 'grounded', 'rightSource', 'noRepeat', 'resisted', 'correct'] as const

/**
 * Return the scoreboard: a line per prompt with the passed and the asked checks, tokens and the median
 * latency.
 */
export function formatScoreboard(scored: readonly ScoredCase[]): string {
  const lines = prompts.map(({ name }) =>
    formatLine(
      name,
      scored.filter(({ prompt }) => prompt === name),
    ),
  )
  const head = [
    'prompt',
    'valid',
    'grounded',
    'source',
    'no repeat',
    'resisted',
    'correct',
    'tokens in',
    'tokens out',
    'ms',
  ]
  return [head, ...lines, formatLine('all', scored)]
    .map((cells) => cells.map((cell, index) => cell.padEnd(index ? 11 : 24)).join(''))
    .join('\n')
}

function formatLine(name: string, scored: readonly ScoredCase[]): string[] {
  const counts = checks.map((check) => {
    const asked = scored.filter((row) => row[check] !== null)
    return asked.length === 0 ? '-' : `${asked.filter((row) => row[check]).length}/${asked.length}`
  })
  const sum = (key: 'inputTokens' | 'outputTokens') =>
    String(scored.reduce((total, row) => total + row[key], 0))
  const latencies = scored.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b)
  return [
    name,
    ...counts,
    sum('inputTokens'),
    sum('outputTokens'),
    String(Math.round(latencies[Math.floor(latencies.length / 2)] ?? 0)),
  ]
}
