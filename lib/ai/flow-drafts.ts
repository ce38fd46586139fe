import { type FlowDraft, growStructure, listNodes } from '../flows/draft.ts'
import { normaliseForm, normaliseStructure, oneLine, plainBreaks } from '../flows/normalise.ts'
import { IntakeForm, type TreeType } from '../flows/structure.ts'
import { validateFlow } from '../flows/validate.ts'
import type { WrittenFlow } from './prompts/authoring.ts'
import { type Redaction, redact } from './redaction.ts'

interface Drafting {
  tree_type: TreeType
  /** The flow it takes the place of: what a model is not shown of it stays. */
  base: FlowDraft | null
  redaction: Redaction
  as: 'draft' | 'published'
}

/** A written flow as one that can be kept, or what is wrong with it, for the model to mend. */
export function draftOf(written: WrittenFlow, { tree_type, base, redaction, as }: Drafting): { fit: FlowDraft } | { problems: string[] } {
  const { name, description, nodes, intake } = base ? unmasked(written, base, redaction) : written
  const grown = growStructure(tree_type, nodes, base?.tree_structure)
  if ('problems' in grown) return grown
  const known = new Map((base?.intake_form ?? []).map((field) => [field.key, field]))
  const form = IntakeForm.safeParse(
    intake.map(({ options, ...field }) => ({ ...known.get(field.key), ...field, ...(options ? { options } : {}) })),
  )
  if (!form.success) return { problems: form.error.issues.map(({ path, message }) => `intake.${path.join('.')}: ${message}`) }
  const draft: FlowDraft = {
    name: oneLine(name),
    description: plainBreaks(description),
    tree_type,
    tree_structure: normaliseStructure(grown.structure),
    intake_form: normaliseForm(form.data),
  }
  const { errors } = validateFlow(draft, as)
  return errors.length > 0 ? { problems: errors.map(({ path, message }) => `${path}: ${message}`) } : { fit: draft }
}

/** A flow as a model is shown it. */
export function writtenOf({ name, description, tree_structure, intake_form }: FlowDraft) {
  const intake = intake_form.map(({ key, label, type, required, options }) => ({ key, label, type, required, options: options ?? null }))
  return { name, description, nodes: listNodes(tree_structure), intake }
}

/** What comes back as it was shown, masked, is what it was: a mask never takes the place of what it hides. */
function unmasked(written: WrittenFlow, base: FlowDraft, redaction: Redaction): WrittenFlow {
  const own = writtenOf(base)
  const seen = redact(own, redaction)
  const places = new Map(own.nodes.map(({ id }, index) => [id, index]))
  const same = (now: string, before: string | undefined, shown: string | undefined) =>
    before !== undefined && now.trim() === shown?.trim() ? before : now
  const nodes = written.nodes.map((node) => {
    const at = places.get(node.id) ?? -1
    const [before, shown] = [own.nodes[at], seen.nodes[at]]
    return {
      ...node,
      title: same(node.title, before?.title, shown?.title),
      description: same(node.description, before?.description, shown?.description),
    }
  })
  return { ...written, description: same(written.description, own.description, seen.description), nodes }
}
