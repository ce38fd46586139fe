import { element } from './element.ts'

/** Create a labelled input of a form. */
export function formField(
  name: string,
  label: string,
  attributes: Record<string, string | number | boolean> = {},
): HTMLLabelElement {
  return element('label', {}, `${label} `, element('input', { name, ...attributes }))
}

/** Create a labelled choice of a form. */
export function selectField(name: string, label: string, options: readonly string[]): HTMLLabelElement {
  return element(
    'label',
    {},
    `${label} `,
    element('select', { name }, ...options.map((option) => element('option', {}, option))),
  )
}

/** Return the filled fields of a form. Numbers are numbers. */
export function readForm(form: HTMLFormElement): Record<string, string | number> {
  const inputs = [...form.elements].filter(
    (field) => field instanceof HTMLInputElement || field instanceof HTMLSelectElement,
  )
  const filled = inputs.filter(({ name, value }) => name !== '' && value !== '')
  return Object.fromEntries(
    filled.map(({ name, type, value }) => [name, type === 'number' ? Number(value) : value]),
  )
}
