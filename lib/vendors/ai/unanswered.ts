import type { Citation } from '#db/rows/ai-session.ts'
import type { AnswerFailure } from '#rules/ai/session-values.ts'
import { addSentence } from '#vendors/net/refusal.ts'

/**
 * Return whether a message or step is not one that only says that the model gave no answer. Prompts and texts
 * about the case leave those out.
 */
export function isAnswer({ failure }: { failure: AnswerFailure | null }): boolean {
  return failure === null
}

const reasons: Record<AnswerFailure, string> = {
  declined: 'The AI declined to answer',
  unusable: 'The AI gave no usable answer',
  truncated: 'The answer of the AI was too long',
}

/**
 * Return what a turn without an answer says, with what the model or its provider says of it. It cites the
 * sources that were found for the case.
 */
export function describeFailure(
  { failure, sentence }: { failure: AnswerFailure; sentence: string | null },
  sources: readonly Citation[],
): string {
  return `${addSentence(reasons[failure], sentence)}. ${sources.length > 0 ? 'These sources may fit the case.' : 'No source fits the case. Ask again, or go on without it.'}`
}
