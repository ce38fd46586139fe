import { findRepeats } from '#rules/text/duplicates.ts'
import type { EvidenceRequirement } from './evidence.ts'
import { type FlowProblem, problemAt } from './problems.ts'

/**
 * Return the problems of requirements that prevent publishing their flow. `isAnswerable` says whether the
 * step takes an answer.
 */
export function validateEvidence(
  node: { id: string; evidence?: EvidenceRequirement[] | null | undefined },
  path: string,
  isAnswerable: boolean,
): FlowProblem[] {
  const requirements = node.evidence ?? []
  if (requirements.length > 0 && !isAnswerable)
    return [problemAt(node, path, 'evidence', 'Only a step that is answered can require evidence')]
  const keys = requirements.map(({ key }) => key)
  return requirements.flatMap(({ key, type, label, options }, index) => {
    const place = `evidence[${index}]`
    const repeats = findRepeats(options ?? [])
    const optionCount = (options ?? []).length - repeats.length
    const problems = repeats.map(({ index: position, first }) =>
      problemAt(
        node,
        path,
        `${place}.options[${position}]`,
        `The evidence “${label}” has the option of position ${first + 1} twice`,
      ),
    )
    if (keys.indexOf(key) < index)
      problems.push(
        problemAt(node, path, `${place}.key`, `The evidence ${key} is required twice in this step`),
      )
    if (type === 'select' && optionCount < 2)
      problems.push(
        problemAt(
          node,
          path,
          `${place}.options`,
          `The evidence “${label}” needs at least 2 different options`,
        ),
      )
    if (type !== 'select' && optionCount > 0)
      problems.push(
        problemAt(
          node,
          path,
          `${place}.options`,
          `The evidence “${label}” cannot have options; only a select has them`,
        ),
      )
    if (type === 'note' && requirements.findIndex((other) => other.type === 'note') < index)
      problems.push(problemAt(node, path, `${place}.type`, 'An answer has one note; require it once'))
    return problems
  })
}
