/** Placeholder. */
export function AccountPage() {
  return <p>soon</p>;
}
