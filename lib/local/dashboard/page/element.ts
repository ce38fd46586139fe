type Child = Node | string | number | null | undefined | false
type Attributes = Record<string, string | number | boolean | undefined | ((event: Event) => void)>

/**
 * Create an element. An attribute that is a function listens to the event of its name; false and undefined
 * leave an attribute out.
 */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const created = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') created.addEventListener(name, value)
    else if (value !== undefined && value !== false)
      created.setAttribute(name, value === true ? '' : String(value))
  }
  created.append(
    ...children
      .filter((child) => child !== null && child !== undefined && child !== false)
      .map((child) => (typeof child === 'number' ? String(child) : child)),
  )
  return created
}

export function getById(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (!found) throw new Error(`The page has no element ${id}`)
  return found
}

/** Show a sentence in the corner of the page, by default a failure. An empty one removes it. */
export function showMessage(text: string, kind: 'good' | 'bad' = 'bad'): void {
  const message = getById('message')
  message.textContent = text
  message.className = kind
}

/** Create a button that runs `act` and shows its error. */
export function actionButton(
  label: string,
  act: () => Promise<unknown>,
  attributes: Attributes = {},
): HTMLButtonElement {
  const run = () =>
    act().then(
      () => showMessage(''),
      (error: Error) => showMessage(error.message),
    )
  return element('button', { type: 'button', click: () => void run(), ...attributes }, label)
}
