package store

// treesFolder holds the trees that runs put on disk, by repository.
const treesFolder = "trees"

// TreeFolder is the private folder for the trees of a repository, made where it does not exist. What lies in it can be
// thrown away at any time between two runs.
func (s *Store) TreeFolder(repo RunRepo) (string, error) {
	key, err := repo.key()
	if err != nil {
		return "", err
	}
	return s.make(treesFolder, key)
}
