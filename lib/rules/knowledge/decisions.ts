import type { Segment } from './segment.ts'

const marker = /^(\s*)(?:[-*+•–]|\(?\d{1,3}[.)])\s+/
const conditionalItem =
  /^[^\S\r\n]*(?:[-*+•–]|\(?\d{1,3}[.)])\s+[*_]{0,2}(?:(?:if|when|in case|otherwise|wenn|falls|sonst|si)\b|(?:yes|no|ja|nein|oui|non|sí)[*_]{0,2}\s*(?:[:.,;!)→–—-]|$))/im
// `Do one of the following:`, `Apply the remediation that matches the cause:`
const chooseOne =
  /\b(?:one of the following|either of the following|(?:remediation|solution|fix|action|option|step|resolution|method)s? that (?:match(?:es)?|appl(?:y|ies)|fits?)|whichever applies|wählen sie eine der|eine der folgenden|l[’']une des|una de las siguientes)\b/i
// `This happens in one of the following cases:` tells nobody to choose.
const statedCase =
  /\b(?:occurs?|happens?|appears?|caused|because|if|when|until|unless|has|have|had|is|are|was|were|may|might|meets?|experiences?|receives?|gets?|sees?|contains?)\b[^.!?\n]{0,80}\b(?:one|either) of the following\b/i
const choice =
  /\b(?:use|try|do|perform|follow|choose|select|pick|take|run|apply|complete|make|start|check|execute|implement|set|configure|consider|must|should|can|need to)\b[^.!?\n]{0,80}\b(?:one|either) of the following\b/i
const minOptions = 2

/** Whether a text states that one of several things is the case, and tells nobody to choose. */
export const isStatement = (text: string): boolean => statedCase.test(text) && !choice.test(text)

const startsWithCondition = (text: string) => conditionalItem.test(text.split('\n', 1)[0] ?? '')
const isChoice = (text: string) => chooseOne.test(text) && !isStatement(text)
const isQuestion = (text: string) => /[:?][*_]{0,2}$/.test(text.trimEnd())

/**
 * Mark questions that are followed by at least two items such as `- If …` as decisions, and the items as
 * their options.
 */
export function markDecisions(segments: readonly Segment[]): Segment[] {
  const markedSegments = segments.flatMap(splitNestedDecision)
  const ends = { choices: findEnds(markedSegments, true), conditions: findEnds(markedSegments, false) }
  for (let index = 0; index < markedSegments.length; index++) {
    const firstOption = index + 1
    const question = markedSegments[index] as Segment
    const choosesOne =
      question.kind === 'note' && isChoice(question.text.split('\n\n').at(-1)?.replaceAll('\n', ' ') ?? '')
    const end = (choosesOne ? ends.choices : ends.conditions)[firstOption] ?? firstOption
    const canBeDecision =
      (question.kind === 'note' || question.text.trimEnd().endsWith('?')) && isQuestion(question.text)
    if (end - firstOption < minOptions || question.kind === 'section' || !canBeDecision) continue
    question.kind = 'decision'
    for (const option of markedSegments.slice(firstOption, end)) option.kind = 'option'
    index = end - 1
  }
  return markedSegments
}

/** Return for each place where the possible options that begin there end. */
function findEnds(segments: readonly Segment[], choosesOne: boolean): number[] {
  const ends = segments.map((_, place) => place)
  for (let place = segments.length - 1; place >= 0; place--)
    if (isPossibleOption(segments[place] as Segment, choosesOne)) ends[place] = ends[place + 1] ?? place + 1
  return ends
}

function isPossibleOption(segment: Segment, choosesOne: boolean): boolean {
  if (segment.kind === 'section' || segment.startsUnit) return false
  return choosesOne ? marker.test(segment.text) : startsWithCondition(segment.text)
}

/**
 * Split an item whose nested items are all options into the question and its options. Only the indentation of
 * the options changes.
 */
function splitNestedDecision(segment: Segment): Segment[] {
  const lines = segment.text.split('\n')
  const firstOption = lines.findIndex((line, index) => index > 0 && marker.test(line))
  const question = lines.slice(0, Math.max(firstOption, 0)).join('\n')
  const indent = marker.exec(lines[firstOption] ?? '')?.[1]?.length ?? 0
  if (segment.kind !== 'step' || indent === 0 || !isQuestion(question)) return [{ ...segment }]
  const options: string[][] = []
  for (const line of lines.slice(firstOption)) {
    const isItem = marker.exec(line)?.[1]?.length === indent
    const belongsToItem = line.trim() === '' || line.startsWith(' '.repeat(indent + 1))
    if (isItem && conditionalItem.test(line)) options.push([line.slice(indent)])
    else if (isItem || !belongsToItem) return [{ ...segment }]
    else options.at(-1)?.push(line.slice(indent))
  }
  if (options.length < minOptions) return [{ ...segment }]
  const optionSegments = options.map(
    (option): Segment => ({ ...emptyOption, text: option.join('\n').trimEnd() }),
  )
  return [{ ...segment, kind: 'note', text: question.trimEnd() }, ...optionSegments]
}

const emptyOption: Segment = { kind: 'step', level: 0, text: '', partCount: 1 }
