import { Problem } from '#problem.ts'
import { isTooDeep, maxJsonParts, readJson } from '#rules/text/json.ts'
import { AnswerTooLongError } from './bounded-fetch.ts'

/** Real answers have below 20 levels. The stack has room for a few thousand. */
const maxLevels = 500

/**
 * Parse the JSON of an answer. Throw a SyntaxError for any other text and for one of more than 500 levels, and an
 * AnswerTooLongError for one that takes too much work or memory, however few bytes it has.
 */
export function parseAnswer(text: string): unknown {
  if (isTooDeep(text, maxLevels)) throw new SyntaxError('The answer has too many levels')
  try {
    return readJson(text)
  } catch (error) {
    throw error instanceof Problem ? new AnswerTooLongError(maxJsonParts, 'objects and lists') : error
  }
}

/** Read the JSON of an answer, as `parseAnswer` does. */
export const readAnswer = async (response: Response): Promise<unknown> => parseAnswer(await response.text())
