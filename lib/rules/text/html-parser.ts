import { type Handler, Parser, type ParserOptions } from 'htmlparser2'
import { tooComplex } from '#rules/budget.ts'
import { maxAttributes } from './xml.ts'

/** Create a parser of HTML. It throws 422 for a tag with more than `maxAttributes` attributes. */
export function createHtmlParser(handler: Partial<Handler>, options?: ParserOptions): Parser {
  let attributes = 0
  return new Parser(
    {
      ...handler,
      onopentagname() {
        attributes = 0
      },
      // The parser tells no name of a form in a form, whose attributes it still reads.
      ontext(text) {
        attributes = 0
        handler.ontext?.(text)
      },
      onattribute() {
        if (++attributes > maxAttributes) throw tooComplex()
      },
    },
    options,
  )
}
