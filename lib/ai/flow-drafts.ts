import { buildStructure, type FlowDraft, flattenStructure } from '../flows/flat-nodes.ts'
import { normaliseForm, normaliseLineBreaks, normaliseStructure, toSingleLine } from '../flows/normalise.ts'
import { IntakeForm, type TreeType } from '../flows/structure.ts'
import { validateFlow } from '../flows/validate.ts'
import type { WrittenFlow } from './prompts/authoring.ts'
import { type Redaction, redact } from './redaction.ts'

interface DraftOptions {
  tree_type: TreeType
  /** The flow to replace. Its fields that the model does not see are kept. */
  base: FlowDraft | null
  redaction: Redaction
  as: 'draft' | 'published'
}

/** Turn the model's flow into a valid draft, or return its problems for the model to fix. */
export function toFlowDraft(
  written: WrittenFlow,
  { tree_type, base, redaction, as }: DraftOptions,
): { fit: FlowDraft } | { problems: string[] } {
  const { name, description, nodes, intake } = base ? restoreMasked(written, base, redaction) : written
  const grown = buildStructure(tree_type, nodes, base?.tree_structure)
  if ('problems' in grown) return grown
  const known = new Map((base?.intake_form ?? []).map((field) => [field.key, field]))
  const form = IntakeForm.safeParse(
    intake.map(({ options, ...field }) => ({ ...known.get(field.key), ...field, ...(options ? { options } : {}) })),
  )
  if (!form.success) return { problems: form.error.issues.map(({ path, message }) => `intake.${path.join('.')}: ${message}`) }
  const draft: FlowDraft = {
    name: toSingleLine(name),
    description: normaliseLineBreaks(description),
    tree_type,
    tree_structure: normaliseStructure(grown.structure),
    intake_form: normaliseForm(form.data),
  }
  const { errors } = validateFlow(draft, as)
  return errors.length > 0 ? { problems: errors.map(({ path, message }) => `${path}: ${message}`) } : { fit: draft }
}

/** Return a flow in the form that the model reads and writes. */
export function toWrittenFlow({ name, description, tree_structure, intake_form }: FlowDraft) {
  const intake = intake_form.map(({ key, label, type, required, options }) => ({ key, label, type, required, options: options ?? null }))
  return { name, description, nodes: flattenStructure(tree_structure), intake }
}

/** Restore texts that the model returned unchanged and masked, so that a mask never replaces the text it hides. */
function restoreMasked(written: WrittenFlow, base: FlowDraft, redaction: Redaction): WrittenFlow {
  const own = toWrittenFlow(base)
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
