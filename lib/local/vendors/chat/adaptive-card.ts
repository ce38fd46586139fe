type Json = Record<string, unknown>

// The elements of https://adaptivecards.io/schemas/1.4.0/adaptive-card.json that the service sends, with all
// of their properties that it may use.
const weights = ['Lighter', 'Default', 'Bolder']
const sizes = ['Small', 'Default', 'Medium', 'Large', 'ExtraLarge']
const colors = ['Default', 'Dark', 'Light', 'Accent', 'Good', 'Warning', 'Attention']
const spacings = ['Default', 'None', 'Small', 'Medium', 'Large', 'ExtraLarge', 'Padding']

/** Return what is wrong with an Adaptive Card 1.4 by its schema, or undefined. */
export function findCardError(card: unknown): string | undefined {
  if (!isJson(card)) return 'The card is not an object'
  const { type, version, body, actions = [], ...rest } = card
  if (type !== 'AdaptiveCard' || typeof version !== 'string' || !/^1\.[0-4]$/.test(version))
    return 'It is no Adaptive Card up to 1.4'
  const unknown = Object.keys(rest).filter(
    (key) => !['$schema', 'fallbackText', 'lang', 'speak'].includes(key),
  )
  if (unknown.length > 0) return `Unknown property ${unknown[0]}`
  if (!Array.isArray(body) || !Array.isArray(actions)) return 'The body and the actions are lists'
  return body.map(findElementError).find(Boolean) ?? actions.map(findActionError).find(Boolean)
}

function findElementError(element: unknown): string | undefined {
  if (!isJson(element)) return 'An element is not an object'
  if (element.type === 'TextBlock') return findTextBlockError(element)
  if (element.type === 'FactSet') return findFactSetError(element)
  return `Unknown element ${String(element.type)}`
}

function findTextBlockError({
  type: _,
  text,
  wrap,
  weight,
  size,
  color,
  spacing,
  ...rest
}: Json): string | undefined {
  if (Object.keys(rest).length > 0) return `Unknown property ${Object.keys(rest)[0]} of a TextBlock`
  if (typeof text !== 'string' || text === '') return 'A TextBlock needs a text'
  if (wrap !== undefined && typeof wrap !== 'boolean') return 'wrap must be a boolean'
  const isAllowed = (value: unknown, allowed: string[]) =>
    value === undefined || allowed.includes(String(value))
  const isValid =
    isAllowed(weight, weights) &&
    isAllowed(size, sizes) &&
    isAllowed(color, colors) &&
    isAllowed(spacing, spacings)
  return isValid ? undefined : 'A TextBlock has a style that does not exist'
}

function findFactSetError({ type: _, facts, spacing: __, ...rest }: Json): string | undefined {
  if (Object.keys(rest).length > 0) return `Unknown property ${Object.keys(rest)[0]} of a FactSet`
  const isFact = (fact: unknown) =>
    isJson(fact) &&
    Object.keys(fact).every((key) => ['title', 'value'].includes(key)) &&
    isText(fact.title) &&
    isText(fact.value)
  return Array.isArray(facts) && facts.length > 0 && facts.every(isFact)
    ? undefined
    : 'A FactSet needs facts with a title and a value'
}

function findActionError(action: unknown): string | undefined {
  if (!isJson(action) || action.type !== 'Action.OpenUrl') return 'Only Action.OpenUrl is known'
  const { title, url } = action
  return isText(title) && isText(url) && URL.canParse(url)
    ? undefined
    : 'Action.OpenUrl needs a title and a URL'
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
