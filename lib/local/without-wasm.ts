import { registerHooks } from 'node:module'

// Node cannot import the Worker's compiled wasm as a module. Scripts that only read declarations get an empty module instead.
registerHooks({
  load: (url, context, next) =>
    url.endsWith('.wasm') ? { format: 'module', source: 'export default null', shortCircuit: true } : next(url, context),
})
