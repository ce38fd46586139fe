// What an article says about its own order: `If the problem persists, go to the next method.`

const going = String.raw`(?:go|proceed|continue|move|skip|jump|advance)(?:\s+(?:on|ahead|forward|directly|straight))?\s+(?:to|with)|try|use|perform|follow`
const unit = '(?:step|method|option|section|solution|resolution|workaround|cause|part)'
const target = String.raw`(?:the\s+)?(?:next|following)\s+(?:${unit}s?|one)|(?:the\s+)?${unit}\s+\w{1,3}\b`
const goOn = new RegExp(String.raw`\b(?:${going})\s+(?:${target})`, 'i')
const numberedTarget = new RegExp(String.raw`\b(?:${going})\s+(?:the\s+)?(${unit})\s+(\d{1,3}|[a-z]\b)`, 'i')
const marker = String.raw`^\s*(?:(?:[-*+•–]|\(?\d{1,3}[.)])\s+)?[*_]{0,2}`
// `Still missing?`, `No luck?`, `Didn’t help?`
const unsolvedQuestion = String.raw`(?:still|no (?:luck|change|success|improvement)|not\s+(?:resolved|solved|fixed|working|helping)|(?:(?:this|that|it)\s+)?(?:did|does|has)(?:\s+not|n[’']t)\s+(?:help|work|fix|solve|resolve)\w{0,3})\b[^.!?\n]{0,80}\?`
const persists = new RegExp(
  String.raw`${marker}(?:${unsolvedQuestion}|if\s+(?:the|this|that|your|it|you)\b[^.!?\n]{0,120}?\b(?:persists?|still|remains?|continues?|recurs?|reoccurs?|(?:does|did|do|is|was|are)(?:\s+not|n[’']t)\s+(?:help|work|fix|solve|resolve|resolved|fixed|solved|successful)|fails? again|not\s+(?:resolved|solved|fixed))\b)`,
  'i',
)
const conditionalJump =
  /(?:^|[.!?] {1,3}|^[ \t]{0,12}(?:[-*+•–]|\(?\d{1,3}[.)])[ \t]{1,4})if[ \t]{1,4}([^.!?\n]{3,160}?),[ \t]{0,4}(?:then[ \t]{1,4})?[^.!?\n]{0,200}/im

/** Whether a text tells the reader to go on with another part. */
export const saysToGoOn = (text: string): boolean => goOn.test(text)

/** Whether a text is about a problem that what was done before has not solved. */
export const isAboutUnsolved = (text: string): boolean => persists.test(text)

const startMarker = new RegExp(marker)
const startsWithGoing = new RegExp(
  String.raw`^(?:please\s+|then\s+|[*_]{1,2})*(?:you can\s+)?(?:${going})\b`,
  'i',
)

/** Whether a text only tells the reader to go on: one sentence without an instruction of its own. */
export function onlySaysToGoOn(text: string): boolean {
  const sentence = text.trim().replace(/[.!]?(?<![*_])[*_]*$/, '')
  if (!goOn.test(sentence) || /[.!?]\s|\n/.test(sentence)) return false
  const [, consequence = sentence] = /^[^,]{0,200},\s*(?:then\s+)?(.*)$/s.exec(sentence) ?? []
  return startsWithGoing.test(consequence.replace(startMarker, ''))
}

/** The part that a text names, such as `step 5`, and the condition under which to go there. */
export function findJump(text: string): { unit: string; number: string; condition: string } | null {
  const [, name, number] = numberedTarget.exec(text) ?? []
  if (name === undefined || number === undefined) return null
  const [sentence, condition] = conditionalJump.exec(text) ?? []
  if (condition === undefined || !numberedTarget.test(sentence ?? '')) return null
  return { unit: name.toLowerCase(), number: number.toLowerCase(), condition: condition.trim() }
}

/** Headings of ways to the same goal, of which one is enough. */
export const alternativeHeading =
  /^(?:method|option|workaround|solution|resolution|approach|fix|alternative)\s*(?:#\s*)?(?:\d{1,2}|[a-e])\b/i
/** Headings of cases, of which one applies. */
export const caseHeading =
  /^(?:(?:possible|likely|probable|root)\s+)?(?:cause|reason|scenario|case|symptom)\s*(?:#\s*)?(?:(?:\d{1,2}|[a-e])\s*)?(?:[:.–—-]|$|\b)/i

/** Return the name of a case without its number: `Cause 2: The disk is full` is `The disk is full`. */
export function nameCase(heading: string): string {
  const name = heading.replace(/^[\w ]{1,30}?(?:\s*(?:#\s*)?(?:\d{1,2}|\b[a-e]\b))?\s*[:.–—-]\s*/i, '').trim()
  return name || heading
}
