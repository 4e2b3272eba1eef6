// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The readable part of a project's identity
library Slug {
    /**
     * @dev `^[a-z0-9][a-z0-9-]{1,46}[a-z0-9]$`. Checked here and not only by the hub, because the slug enters the project
     * id: two spellings of one name would be two projects.
     */
    function isValid(string calldata slug) internal pure returns (bool) {
        bytes calldata text = bytes(slug);
        if (text.length < 3 || text.length > 48) return false;
        uint256 last = text.length - 1;
        for (uint256 i = 0; i <= last; ++i) {
            bytes1 char = text[i];
            bool alphanumeric = (char >= "a" && char <= "z") || (char >= "0" && char <= "9");
            bool innerHyphen = char == "-" && i != 0 && i != last;
            if (!alphanumeric && !innerHyphen) return false;
        }
        return true;
    }
}
