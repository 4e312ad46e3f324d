import { useId } from 'react';

/** One of a few options, all of which are visible. */
export function Choice<Value extends string>({
  legend,
  value,
  options,
  onChange,
}: {
  legend: string;
  value: Value;
  options: Record<Value, string>;
  onChange: (value: Value) => void;
}) {
  const name = useId();
  return (
    <fieldset className="choice">
      <legend>{legend}</legend>
      {(Object.keys(options) as Value[]).map((option) => (
        <label key={option}>
          <input type="radio" name={name} checked={option === value} onChange={() => onChange(option)} />{' '}
          {options[option]}
        </label>
      ))}
    </fieldset>
  );
}
